import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

interface PlainAnchorProps extends AnchorProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> {
  ref?: Ref<HTMLAnchorElement>;
}

const PlainAnchor = (props: PlainAnchorProps) => <Anchor {...props} />;

/** A link to another place of the console. TypeScript checks its address against the routes. */
export const AnchorLink = createLink(PlainAnchor);
