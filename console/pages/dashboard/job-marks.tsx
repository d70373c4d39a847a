import { AnchorLink } from "../../ui/anchor-link.tsx";

/** A picture marks at most this many bulk jobs, the newest. */
export const marksMax = 10;

/** A bulk job in a picture. */
export const JobLink = ({ id, text }: { id: string; text: string }) => (
  <AnchorLink to="/jobs/$id" params={{ id }} underline="always" inherit mih={24} display="inline-block">
    {text}
  </AnchorLink>
);
