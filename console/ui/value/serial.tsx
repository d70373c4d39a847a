import { Text } from "@mantine/core";

/** The number of digits that people read to each other. */
const tailLength = 8;

/** Shows a serial number with its end emphasised, because people read that part to each other. */
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
      <Text span inherit fw={600} style={{ whiteSpace: "nowrap" }}>
        {tail}
      </Text>
    </Text>
  );
}
