import { Stack } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

/** Shows a form whose errors appear at its fields, not in the browser's messages. */
export function Form({
  onSubmit,
  maw,
  children,
}: {
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  maw?: number;
  children: ReactNode;
}) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack {...(maw !== undefined && { maw })}>{children}</Stack>
    </form>
  );
}
