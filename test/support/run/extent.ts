/** Whether this run tries every case: TEST_EXTENT is "full". */
const full = process.env["TEST_EXTENT"] === "full";

/** Returns how many of these cases to try: all in a full run, otherwise a share of them, by default a tenth. */
export const extent = (all: number, share = 0.1): number => (full ? all : Math.ceil(all * share));
