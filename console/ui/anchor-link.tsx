import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

interface PlainAnchorProps extends AnchorProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> {
  ref?: Ref<HTMLAnchorElement>;
}

const PlainAnchor = (props: PlainAnchorProps) => <Anchor {...props} />;

/** Links to another place in the console. TypeScript checks the link's address against the routes. */
export const AnchorLink = createLink(PlainAnchor);
