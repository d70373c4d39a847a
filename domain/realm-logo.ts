/** Why an uploaded picture is refused as a realm's logo, in words. */
export const logoFaults = {
  no_picture: "The file is neither a PNG nor an SVG picture.",
  damaged: "The picture is damaged or has other data after its end.",
  too_many_pixels: "The picture has too many pixels.",
  malformed: "The SVG is not well-formed XML in UTF-8.",
  entity: "The SVG declares or uses entities.",
  script: "The SVG contains a script or an event attribute.",
  element: "The SVG has an element that a picture does not need.",
  reference: "The SVG refers to something outside of the file.",
  style: "The styles of the SVG have a rule, a function or an escape that a picture does not need.",
  repetition: "The SVG repeats parts of itself too often, or within themselves.",
} as const satisfies Record<string, string>;
export type LogoFault = keyof typeof logoFaults;

export const logoTypes = ["image/png", "image/svg+xml"] as const;
export type LogoType = (typeof logoTypes)[number];
