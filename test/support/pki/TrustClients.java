import java.io.FileInputStream;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.cert.*;
import java.util.*;
import javax.net.ssl.*;

/**
 * Judges the certificates that clients send (PEM, leaf first) as a TLS server does that trusts the certificates of TRUST
 * (PEM): `TRUST CHAIN...`. Prints `CHAIN\tMEANS\tok`, or why not: without revocation, by OCSP and by CRL, of the leaf
 * alone and by the addresses in it.
 */
class TrustClients {
  public static void main(String[] args) throws Exception {
    System.setProperty("com.sun.security.enableCRLDP", "true");
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    for (Certificate each : read(args[0])) trusted.setCertificateEntry(String.valueOf(trusted.size()), each);
    for (String chain : Arrays.copyOfRange(args, 1, args.length)) {
      X509Certificate[] sent = read(chain).toArray(new X509Certificate[0]);
      for (String means : List.of("none", "ocsp", "crl")) {
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(trusted, new X509CertSelector());
        parameters.setRevocationEnabled(!means.equals("none"));
        if (!means.equals("none")) {
          PKIXRevocationChecker checker = (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
          Set<PKIXRevocationChecker.Option> options =
              EnumSet.of(PKIXRevocationChecker.Option.ONLY_END_ENTITY, PKIXRevocationChecker.Option.NO_FALLBACK);
          if (means.equals("crl")) options.add(PKIXRevocationChecker.Option.PREFER_CRLS);
          checker.setOptions(options);
          parameters.addCertPathChecker(checker);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(new CertPathTrustManagerParameters(parameters));
        String found = "ok";
        try {
          ((X509TrustManager) factory.getTrustManagers()[0]).checkClientTrusted(sent, "EC");
        } catch (CertificateException refused) {
          Throwable cause = refused;
          while (cause.getCause() != null && !(cause instanceof CertPathValidatorException)) cause = cause.getCause();
          found = cause instanceof CertPathValidatorException why ? String.valueOf(why.getReason()) : "no path";
        }
        System.out.println(chain + "\t" + means + "\t" + found);
      }
    }
  }

  static Collection<X509Certificate> read(String file) throws Exception {
    try (InputStream in = new FileInputStream(file)) {
      Collection<X509Certificate> all = new ArrayList<>();
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) all.add((X509Certificate) each);
      return all;
    }
  }
}
