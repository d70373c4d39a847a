import { Text } from "@mantine/core";

/** As many digits as people read to each other. */
const tailLength = 8;

/** A serial number, with the end of it emphasised: that is what people read to each other. */
export function Serial({ serial, short = false }: { serial: string; short?: boolean }) {
  const tail = serial.slice(-tailLength);
  const head = serial.slice(0, -tailLength);
  return (
    <Text span inherit title={short ? serial : undefined} style={{ overflowWrap: "anywhere" }}>
      {head !== "" && (
        <Text span inherit c="dimmed">
          {short ? "…" : head}
        </Text>
      )}
      <Text span inherit fw={600}>
        {tail}
      </Text>
    </Text>
  );
}
