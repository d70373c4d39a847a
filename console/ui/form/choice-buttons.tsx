import { Button } from "@mantine/core";

/** Shows a few choices side by side, one of them selected. */
export function ChoiceButtons<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}) {
  return (
    <div role="group" aria-label={label}>
      <Button.Group>
        {choices.map((choice) => (
          <Button
            key={choice.value}
            size="xs"
            variant={choice.value === value ? "light" : "default"}
            aria-pressed={choice.value === value}
            onClick={() => {
              onChange(choice.value);
            }}
          >
            {choice.label}
          </Button>
        ))}
      </Button.Group>
    </div>
  );
}
