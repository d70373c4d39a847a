/** Adds a copy button above each block of code. Runs in the reader's browser. */
export const copyScript = `
const status = document.createElement("p");
status.className = "unseen";
status.setAttribute("role", "status");
document.querySelector("main").append(status);

const withButton = (code) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent.trimEnd());
    button.textContent = "Copied";
    status.textContent = "Copied";
  });
  button.addEventListener("blur", () => {
    button.textContent = "Copy";
    status.textContent = "";
  });
  const block = document.createElement("div");
  block.className = "copyable";
  code.replaceWith(block);
  block.append(button, code);
};

// Browsers have no clipboard for pages without TLS.
if (navigator.clipboard) document.querySelectorAll("main pre").forEach(withButton);
`;
