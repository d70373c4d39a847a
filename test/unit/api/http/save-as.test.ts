import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { saveAs } from "../../../../api/http/save-as.ts";

const emptyResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

test("a response is saved under the name of the file", () => {
  const response = emptyResponse();
  saveAs(response, "mias-laptop.eap-config");
  expect(response.getHeader("content-disposition")).toBe('attachment; filename="mias-laptop.eap-config"');
});

test.each(["", 'a"; filename="b.exe', "a/b", "a b", "müller.pem", "a\r\nb"])("the file name %j is refused", (name) => {
  const response = emptyResponse();
  expect(() => {
    saveAs(response, name);
  }).toThrow(RangeError);
  expect(response.getHeader("content-disposition")).toBeUndefined();
});
