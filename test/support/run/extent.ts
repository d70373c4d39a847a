/** Whether this run tries all that it could: TEST_EXTENT is "full". */
const full = process.env["TEST_EXTENT"] === "full";

/** How many of this many to try: all in a full run, else a share of them, a tenth unless it is told. */
export const extent = (all: number, share = 0.1): number => (full ? all : Math.ceil(all * share));
