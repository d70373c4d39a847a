/** The CA of the RADIUS server beside a profile, for whoever sets a device up by hand. */
export const radiusCaFilename = "radius-ca.pem";
