import { Flex, Input, NumberInput, Slider } from "@mantine/core";
import { useId } from "react";
import { useTranslation } from "react-i18next";

/** Shows a field for a whole number within a range, which the user drags or types. */
export function SliderField({
  label,
  description,
  unit,
  value,
  onChange,
  min,
  max,
  marks,
  step = 1,
  error,
  path,
}: {
  label: string;
  description?: string;
  /** Formats the number: “24 months”. */
  unit: (value: number) => string;
  value: number;
  onChange: (value: number) => void;
  min: number;
  max: number;
  marks?: readonly number[];
  /** The slider's step; the user can type any number in the range. */
  step?: number;
  error?: React.ReactNode;
  /** The field's name in its form. */
  path?: string;
}) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error}>
      <Flex
        direction={{ base: "column", xs: "row" }}
        align={{ base: "stretch", xs: "center" }}
        gap={{ base: "xs", xs: "lg" }}
        mt="xs"
        pb="lg"
      >
        <Slider
          flex={1}
          mb={{ base: "lg", xs: 0 }}
          min={min}
          max={max}
          step={step}
          value={Math.min(max, Math.max(min, value))}
          onChange={onChange}
          label={unit}
          thumbLabel={t("forms.slider", { label })}
          thumbValueText={unit}
          thumbSize={24}
          {...(marks !== undefined && { marks: marks.map((mark) => ({ value: mark, label: String(mark) })) })}
        />
        <NumberInput
          id={id}
          w={110}
          min={min}
          max={max}
          clampBehavior="blur"
          allowDecimal={false}
          value={value}
          onChange={(typed) => {
            if (typeof typed === "number") onChange(typed);
          }}
          data-path={path}
          error={error !== undefined && error !== null && error !== ""}
        />
      </Flex>
    </Input.Wrapper>
  );
}
