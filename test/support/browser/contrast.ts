/** Functions for a script in a page: colours, the background around an element, and contrast by WCAG 2.2. */
export const contrastFunctions = `
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const around = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const [r, g, b, a = 1] = parts(getComputedStyle(at).backgroundColor);
      if (a === 1 && r !== undefined) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const contrastOf = (...colours) => {
    const [one, other] = colours.map(luminance);
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
`;
