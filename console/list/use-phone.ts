import { useMediaQuery } from "@mantine/hooks";

/** Whether the page is too narrow for tables: the breakpoint that `console.css` uses for the navigation. */
export const usePhone = (): boolean => useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
