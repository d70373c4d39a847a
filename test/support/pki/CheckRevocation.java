import java.io.FileInputStream;
import java.io.InputStream;
import java.security.cert.*;
import java.util.*;

/**
 * Verifies leaves (PEM, from the third argument on) under `ISSUING ROOT` as PKIX has it, with the revocation of each
 * certificate below the root, by the addresses in the certificates. Prints `LEAF\tMEANS\tok`, or why not: by `ocsp` the
 * leaf alone, by `crl` the issuing CA too.
 */
class CheckRevocation {
  public static void main(String[] args) throws Exception {
    System.setProperty("com.sun.security.enableCRLDP", "true");
    X509Certificate issuing = read(args[0]);
    TrustAnchor root = new TrustAnchor(read(args[1]), null);
    for (String leaf : Arrays.copyOfRange(args, 2, args.length)) {
      for (String means : List.of("ocsp", "crl")) {
        CertPathValidator validator = CertPathValidator.getInstance("PKIX");
        PKIXRevocationChecker checker = (PKIXRevocationChecker) validator.getRevocationChecker();
        checker.setOptions(
            means.equals("ocsp")
                ? EnumSet.of(PKIXRevocationChecker.Option.NO_FALLBACK, PKIXRevocationChecker.Option.ONLY_END_ENTITY)
                : EnumSet.of(PKIXRevocationChecker.Option.NO_FALLBACK, PKIXRevocationChecker.Option.PREFER_CRLS));
        PKIXParameters parameters = new PKIXParameters(Set.of(root));
        parameters.addCertPathChecker(checker);
        String found = "ok";
        try {
          CertificateFactory factory = CertificateFactory.getInstance("X.509");
          validator.validate(factory.generateCertPath(List.of(read(leaf), issuing)), parameters);
        } catch (CertPathValidatorException refused) {
          found = refused.getIndex() + " " + refused.getReason();
        }
        System.out.println(leaf + "\t" + means + "\t" + found);
      }
    }
  }

  static X509Certificate read(String file) throws Exception {
    try (InputStream in = new FileInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }
}
