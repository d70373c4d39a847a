/** Returns the path of a root's CRL below the publication address, by the SHA-256 of its certificate in hexadecimal. */
export const rootCrlPath = (fingerprint: string): string => `/crl/root-${fingerprint}.crl`;
