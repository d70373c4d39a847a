import { spawnSync } from "node:child_process";
import { requireTool } from "../run/tools.ts";

export interface ReadByEll {
  /** Values by group and key. */
  settings: Record<string, Record<string, string>>;
  /** The embedded groups in the order ca, client, key; `certificates`: how many there are, null for the key. */
  embedded: { name: string; content: string; certificates: number | null }[];
}

const program = `
import ctypes, json, sys
ell = ctypes.CDLL("libell.so.0")
p, s = ctypes.c_void_p, ctypes.c_char_p
def fn(name, result, *args):
    f = getattr(ell, name); f.restype = result; f.argtypes = args; return f
new = fn("l_settings_new", p)
load = fn("l_settings_load_from_file", ctypes.c_bool, p, s)
groups = fn("l_settings_get_groups", ctypes.POINTER(s), p)
keys = fn("l_settings_get_keys", ctypes.POINTER(s), p, s)
value = fn("l_settings_get_string", s, p, s, s)
embedded = fn("l_settings_get_embedded_value", s, p, s, ctypes.POINTER(s))
load_list = fn("l_pem_load_certificate_list_from_data", p, p, ctypes.c_size_t)
def names(array):
    out, at = [], 0
    while array and array[at] is not None: out.append(array[at].decode()); at += 1
    return out
settings = new()
if not load(settings, sys.argv[1].encode()): sys.exit("ell refuses the file")
found = {g: {k: value(settings, g.encode(), k.encode()).decode() for k in names(keys(settings, g.encode()))} for g in names(groups(settings))}
out = []
for name in ("ca", "client", "key"):
    kind = s()
    content = embedded(settings, name.encode(), ctypes.byref(kind))
    if content is None or kind.value != b"pem": sys.exit("ell refuses " + name)
    count = None
    if name != "key":
        chain = load_list(content, len(content))
        if not chain: sys.exit("ell refuses the certificates of " + name)
        count = content.count(b"BEGIN CERTIFICATE")
    out.append({"name": name, "content": content.decode(), "certificates": count})
json.dump({"settings": found, "embedded": out}, sys.stdout)
`;

/** Reads a file of iwd with ell, iwd's own library. Throws if ell refuses the file. */
export function ellReads(file: string): ReadByEll {
  const { status, stdout, stderr } = spawnSync(requireTool("python3"), ["-I", "-S", "-c", program, file], {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(stderr.trim());
  return JSON.parse(stdout) as ReadByEll;
}
