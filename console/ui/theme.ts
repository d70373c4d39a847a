import { createTheme, type CSSVariablesResolver, type MantineColor } from "@mantine/core";

const accent = [
  "#edf1ff",
  "#dbe4ff",
  "#bac8ff",
  "#91a7ff",
  "#748ffc",
  "#5c7cfa",
  "#4c6ef5",
  "#4263eb",
  "#3b5bdb",
  "#3049b5",
] as const;

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 8, dark: 8 },
  colors: { indigo: accent },
  defaultRadius: "md",
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontWeight: "650" },
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
});

const tinted: readonly MantineColor[] = ["teal", "yellow", "orange", "red", "green", "cyan", "gray"];

/** Sets Mantine's greys, tints and error colours to the contrast of WCAG 2.2 AA (1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#56606b",
    "--mantine-color-placeholder": "var(--mantine-color-dimmed)",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    ...Object.fromEntries(
      tinted.map((color) => [
        `--mantine-color-${color}-light-color`,
        `color-mix(in srgb, var(--mantine-color-${color}-9) 72%, black)`,
      ]),
    ),
  },
  dark: {
    "--mantine-color-dimmed": "#a6abb3",
    "--mantine-color-placeholder": "var(--mantine-color-dimmed)",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-anchor": "var(--mantine-color-indigo-3)",
  },
});

/** Returns the colour for coloured text on the page's background, readable in both themes. */
export const textColor = (color: "teal" | "red" | "orange" | "yellow"): string =>
  `light-dark(var(--mantine-color-${color}-9), var(--mantine-color-${color}-3))`;
