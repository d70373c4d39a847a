import { Text } from "@mantine/core";

/** Longer texts may not fit into their cell, so the user can focus them. */
const shortMax = 40;

/** Shows a text in a cell, cut after two lines; with the focus, shows the whole text. */
export function Bounded({ text }: { text: string }) {
  return (
    <Text span inherit className="bounded" title={text} tabIndex={text.length > shortMax ? 0 : undefined}>
      {text}
    </Text>
  );
}
