# frozen_string_literal: true

# A third party's web application with omniauth_openid_connect and its default settings, on a port of its own, which it
# prints. Arguments: the issuer and the client id; the client secret is on the standard input.

require "json"
require "securerandom"
require "webrick"
require "rack"
require "rack/handler/webrick"
require "omniauth"
require "omniauth_openid_connect"

issuer, client_id = ARGV
secret = $stdin.read

# Discovery is https by itself; this is loopback.
SWD.url_builder = URI::HTTP
OmniAuth.config.logger = Logger.new(nil)
OmniAuth.config.on_failure = lambda do |env|
  error = env["omniauth.error"]
  [401, { "Content-Type" => "application/json" }, [{ error: env["omniauth.error.type"], message: error&.message }.to_json]]
end

server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: 0, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
url = "http://127.0.0.1:#{server.listeners.first.addr[1]}"

pages = lambda do |env|
  if env["PATH_INFO"] == "/auth/openid_connect/callback"
    [200, { "Content-Type" => "application/json" }, [env["omniauth.auth"].to_json]]
  else
    token = Rack::Protection::AuthenticityToken.token(env["rack.session"])
    form = %(<form method="post" action="/auth/openid_connect"><input name="authenticity_token" value="#{token}"></form>)
    [200, { "Content-Type" => "text/html" }, [form]]
  end
end

application = Rack::Builder.new do
  use Rack::Session::Cookie, secret: SecureRandom.hex(32)
  use OmniAuth::Builder do
    provider :openid_connect,
             issuer: issuer,
             discovery: true,
             client_options: {
               identifier: client_id,
               secret: secret,
               redirect_uri: "#{url}/auth/openid_connect/callback"
             }
  end
  run pages
end

server.mount "/", Rack::Handler::WEBrick, application.to_app
trap("TERM") { server.shutdown }
$stdout.puts url
$stdout.flush
server.start
