/** Returns whether an `Accept-Encoding` (RFC 9110 section 12.5.3) names gzip and does not refuse it. */
export const acceptsGzip = (header: string): boolean => /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(header);
