import type { Command } from "commander";
import { commandTree, type ProgramSignature } from "./program.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A position on the command line: the words before it, and the words and values that can follow. */
interface Place {
  path: string;
  words: { word: string; about: string }[];
  /** Options with their allowed values; without choices the value is a file. */
  values: { option: string; choices: readonly string[] }[];
}

/** Returns a shell script that completes a program's commands, options and fixed values. */
export function completionScript(shell: Shell, program: ProgramSignature): string {
  const tree = commandTree(program, { writeHelp: () => undefined, call: () => Promise.resolve() });
  return { bash, zsh, fish }[shell](program.name, placesOf(tree, tree));
}

function placesOf(command: Command, program: Command, path = ""): Place[] {
  const options = command === program ? program.options : [...command.options, ...program.options];
  const choicesOfArguments = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const place = {
    path,
    words: [
      ...command.commands.map((each) => ({ word: each.name(), about: each.description() })),
      ...choicesOfArguments.map((word) => ({ word, about: "" })),
      ...options.map(({ long, description }) => ({ word: long ?? "", about: description })),
    ].filter(({ word }) => word !== ""),
    values: options
      .filter(({ required }) => required)
      .map(({ long, argChoices }) => ({ option: long ?? "", choices: argChoices ?? [] })),
  };
  return [place, ...command.commands.flatMap((each) => placesOf(each, program, `${path} ${each.name()}`.trim()))];
}

/**
 * Quotes a text for the shell. Only descriptions need this: names of commands and options are letters, digits and
 * hyphens.
 */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const isKnown = (places: readonly Place[]): string => places.map(({ path }) => quoted(path)).join("|");

const casesOfValues = (places: readonly Place[]): string =>
  places
    .flatMap(({ path, values }) => values.map(({ option, choices }) => ({ key: `${path} ${option}`, choices })))
    .filter(({ choices }) => choices.length > 0)
    .map(({ key, choices }) => `    ${quoted(key)}) values=${quoted(choices.join(" "))} ;;`)
    .join("\n");

const optionsWithValue = (places: readonly Place[]): string =>
  [...new Set(places.flatMap(({ values }) => values.map(({ option }) => option)))].join("|");

const bash = (
  name: string,
  places: readonly Place[],
): string => `# ${name} completion for bash: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" next word index words="" values=""
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    next="\${path:+$path }$word"
    case "$next" in ${isKnown(places)}) path="$next" ;; esac
  done
  case "$path $previous" in
${casesOfValues(places)}
  esac
  if [[ -n "$values" ]]; then COMPREPLY=($(compgen -W "$values" -- "$current")); return; fi
  case "$previous" in ${optionsWithValue(places)}) COMPREPLY=($(compgen -f -- "$current")); return ;; esac
  case "$path" in
${places.map(({ path, words }) => `    ${quoted(path)}) words=${quoted(words.map(({ word }) => word).join(" "))} ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ \${#COMPREPLY[@]} -eq 0 && "$current" != -* ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _${name} ${name}
`;

const zsh = (name: string, places: readonly Place[]): string => `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
_${name}() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" path_so_far="" next word values=""
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${path_so_far:+$path_so_far }$word"
    case "$next" in ${isKnown(places)}) path_so_far="$next" ;; esac
  done
  case "$path_so_far $previous" in
${casesOfValues(places)}
  esac
  if [[ -n "$values" ]]; then compadd -- \${=values}; return; fi
  case "$previous" in ${optionsWithValue(places)}) _files; return ;; esac
  case "$path_so_far" in
${places
  .map(
    ({ path, words }) =>
      `    ${quoted(path)}) offered=(${words.map(({ word, about }) => quoted(`${word}:${about.replaceAll(":", "\\:")}`)).join(" ")}) ;;`,
  )
  .join("\n")}
  esac
  _describe command offered || _files
}
(( $+functions[compdef] )) && compdef _${name} ${name}
`;

const fish = (
  name: string,
  places: readonly Place[],
): string => `# ${name} completion for fish: ${name} completion fish | source
function __${name}_at
  set -l path
  for word in (commandline -opc)[2..-1]
    set -l next (string join ' ' $path $word)
    switch "$next"
      case ${places
        .map(({ path }) => path)
        .filter((path) => path !== "")
        .map(fishQuoted)
        .join(" ")}
        set path $next
    end
  end
  test "$path" = "$argv[1]"
end
${places.flatMap((place) => fishLines(name, place)).join("\n")}
`;

const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fishLines(name: string, { path, words, values }: Place): string[] {
  const condition = fishQuoted(`__${name}_at ${fishQuoted(path)}`);
  return words.map(({ word, about }) => {
    const described = about === "" ? "" : ` -d ${fishQuoted(about)}`;
    if (!word.startsWith("--")) return `complete -c ${name} -n ${condition} -f -a ${fishQuoted(word)}${described}`;
    const value = values.find(({ option }) => option === word);
    const takes =
      value === undefined ? "" : value.choices.length === 0 ? " -r" : ` -x -a ${fishQuoted(value.choices.join(" "))}`;
    return `complete -c ${name} -n ${condition} -l ${word.slice(2)}${takes}${described}`;
  });
}
