/** Yields every text of up to `lengthMax` of the given characters, the empty one first. */
export function* everyText(characters: readonly string[], lengthMax: number): Generator<string> {
  let texts = [""];
  for (let length = 0; length <= lengthMax; length += 1) {
    yield* texts;
    texts = length === lengthMax ? [] : texts.flatMap((text) => characters.map((character) => text + character));
  }
}
