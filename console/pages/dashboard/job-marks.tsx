import { AnchorLink } from "../../ui/anchor-link.tsx";

/** A chart marks at most this many bulk jobs, the newest ones. */
export const marksMax = 10;

/** Links to a bulk job in a chart. */
export const JobLink = ({ id, text }: { id: string; text: string }) => (
  <AnchorLink to="/jobs/$id" params={{ id }} underline="always" inherit mih={24} display="inline-block">
    {text}
  </AnchorLink>
);
