import { android } from "./android.ts";
import type { App } from "./app.ts";
import { ios, macos } from "./apple.ts";
import { linux } from "./linux.ts";
import { windows, windows413 } from "./windows.ts";

/** Every app whose requests or rules differ from those of the other apps. */
export const apps: readonly App[] = [linux, android, ios, macos, windows, windows413];
