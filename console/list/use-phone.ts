import { useMediaQuery } from "@mantine/hooks";

/**
 * Returns true if the page is too narrow for tables: the same breakpoint at which `console.css` changes the navigation.
 */
export const usePhone = (): boolean => useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
