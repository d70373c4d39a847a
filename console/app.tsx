import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiError } from "./api/api-client.ts";
import { styleNonce } from "./api/page-settings.ts";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./ui/theme.ts";
import { Confirmations } from "./ui/dialog/confirm.tsx";
import { NoticeBoard } from "./ui/notice/notify.tsx";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refused request would be refused again, so among the API's errors only a status of 502 or above is retried.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status >= 502),
    },
    // Offline, a mutation fails immediately and does not wait for a connection.
    mutations: { networkMode: "always" },
  },
});

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Confirmations />
        <NoticeBoard />
      </QueryClientProvider>
    </MantineProvider>
  );
}
