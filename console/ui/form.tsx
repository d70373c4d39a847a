import { Stack } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

/** A form whose fields say themselves what is wrong with them. */
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
