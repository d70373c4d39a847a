import { Stack } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

/** A form that shows errors at its own fields, not through the browser. */
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
