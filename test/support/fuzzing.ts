/** How many rounds of this many to try: all where FUZZ_ROUNDS is "all", else a tenth. */
export function fuzzRounds(all: number): number {
  return process.env["FUZZ_ROUNDS"] === "all" ? all : Math.ceil(all / 10);
}
