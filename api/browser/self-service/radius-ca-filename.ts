/** The file with the RADIUS server's CA that comes with a profile, for users who set a device up by hand. */
export const radiusCaFilename = "radius-ca.pem";
