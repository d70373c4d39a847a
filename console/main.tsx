import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles.css";
import "./console.css";
import { setNonce } from "get-nonce";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { styleNonce } from "./api/page-settings.ts";
import "./texts/i18n.ts";

// Needed by the style that stops the page from scrolling behind a dialog.
setNonce(styleNonce);

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no place for the console");
createRoot(root).render(<App />);
