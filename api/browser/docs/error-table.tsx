import { errorCatalogue } from "../../../domain/errors.ts";
import { oauthErrors } from "../../oauth/oauth-error.ts";

/** Lists every code of the API and of the OAuth endpoints, each with its own anchor. */
export function ErrorTable() {
  const codes = Object.entries(errorCatalogue).map(([code, { status, message }]) => ({ code, status, text: message }));
  const oauthCodes = Object.entries(oauthErrors).map(([code, { status, description }]) => ({
    code,
    status,
    text: description,
  }));
  return (
    <>
      <h2 id="codes">Every code of the API</h2>
      <Codes label="Codes of the API" codes={codes} prefix="" />
      <h2 id="oauth-codes">Every code of the OAuth endpoints</h2>
      <Codes label="Codes of the OAuth endpoints" codes={oauthCodes} prefix="oauth-" />
    </>
  );
}

interface CodesProps {
  label: string;
  codes: readonly { code: string; status: number; text: string }[];
  /** Prefix of the anchors: the page has two catalogues. */
  prefix: string;
}

function Codes({ label, codes, prefix }: CodesProps) {
  return (
    <div class="wide" role="group" tabindex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {codes.map(({ code, status, text }) => (
            <tr id={`${prefix}${code}`}>
              <td>
                <a href={`#${prefix}${code}`}>
                  <code>{code}</code>
                </a>
              </td>
              <td>{status}</td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
