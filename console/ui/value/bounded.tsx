import { Text } from "@mantine/core";

/** Longer texts may not fit into their cell, so they can be focused. */
const shortMax = 40;

/** A text in a cell, cut after two lines; focus shows all of it. */
export function Bounded({ text }: { text: string }) {
  return (
    <Text span inherit className="bounded" title={text} tabIndex={text.length > shortMax ? 0 : undefined}>
      {text}
    </Text>
  );
}
