import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/**
 * The service replaces this with its own path when it sends index.html; all other files are found relative to their
 * importer.
 */
const servedBelow = "__BASE__/console/";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  worker: { format: "es" },
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: "es2022",
    // The content security policy allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/, priority: 2 },
            { name: "nonce", test: /node_modules[\\/]get-nonce/, priority: 1 },
            // Only pop-ups need this library, and no page begins with a pop-up.
            { name: "floating", test: /node_modules[\\/]@floating-ui/, priority: 1 },
            // Every page needs these modules: one file is smaller than fifty files, and takes one request.
            { name: "frame", tags: ["$initial"] },
          ],
        },
      },
    },
  },
  experimental: {
    renderBuiltUrl: (filename, { hostType }) =>
      hostType === "html" ? `${servedBelow}${filename}` : { relative: true },
  },
});
