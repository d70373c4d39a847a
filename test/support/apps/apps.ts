import { android } from "./android.ts";
import type { App } from "./app.ts";
import { ios, macos } from "./apple.ts";
import { linux } from "./linux.ts";
import { windows, windows413 } from "./windows.ts";

/** One app for each way of asking. */
export const apps: readonly App[] = [linux, android, ios, macos, windows, windows413];
