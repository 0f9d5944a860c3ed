package io.muster.certs.x509;

import java.net.InetAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The DNS names and IP addresses under which Muster's TLS ports are called. Invariant: at least
 * one; lower-case, sorted, addresses in canonical form. All replicas must want the same names: a
 * Service's, never a pod's own. Immutable.
 */
public record ServerNames(List<String> dns, List<String> ips) {

  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;
  private static final int LONGEST_DNS_NAME = 253;
  private static final Pattern LOOKS_LIKE_ADDRESS = Pattern.compile("[0-9.]+|.*:.*");
  private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  private static final Pattern DNS = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

  public ServerNames {
    dns = List.copyOf(canonical(dns.stream().map(ServerNames::dnsName)));
    ips = List.copyOf(canonical(ips.stream().map(ServerNames::address)));
    if (dns.isEmpty() && ips.isEmpty()) {
      throw new IllegalArgumentException("at least one DNS name or IP address is needed");
    }
  }

  /** Sorts the given names into DNS names and IP addresses by their form. */
  public static ServerNames of(String... names) {
    return of(Arrays.asList(names));
  }

  /** Sorts the given names into DNS names and IP addresses by their form. */
  public static ServerNames of(Collection<String> names) {
    return new ServerNames(
        names.stream().filter(name -> !looksLikeAddress(name)).toList(),
        names.stream().filter(ServerNames::looksLikeAddress).toList());
  }

  /** The names that a Service has inside its cluster, from the shortest to the full one. */
  public static ServerNames ofService(String service, String namespace) {
    String qualified = service + "." + namespace;
    return of(service, qualified, qualified + ".svc", qualified + ".svc.cluster.local");
  }

  /** The names in a server's certificate that Muster could have put there; empty without any. */
  public static Optional<ServerNames> in(X509Certificate certificate) {
    List<String> dns =
        named(certificate, DNS_NAME).stream().filter(name -> DNS.matcher(name).matches()).toList();
    List<String> ips = List.copyOf(named(certificate, IP_ADDRESS));
    return dns.isEmpty() && ips.isEmpty()
        ? Optional.empty()
        : Optional.of(new ServerNames(dns, ips));
  }

  /** The DNS names in a certificate, lower-case, wildcards among them. */
  public static Set<String> dnsNamesOf(X509Certificate certificate) {
    return named(certificate, DNS_NAME);
  }

  /** These names and the others. */
  public ServerNames and(ServerNames others) {
    return new ServerNames(
        Stream.concat(dns.stream(), others.dns.stream()).toList(),
        Stream.concat(ips.stream(), others.ips.stream()).toList());
  }

  /** Whether the certificate may be shown under every one of these names. */
  public boolean areCoveredBy(X509Certificate certificate) {
    return named(certificate, DNS_NAME).containsAll(dns)
        && named(certificate, IP_ADDRESS).containsAll(ips);
  }

  private static Set<String> named(X509Certificate certificate, int kind) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      if (names == null) {
        return Set.of();
      }
      Stream<String> texts =
          names.stream().filter(name -> name.getFirst().equals(kind)).map(n -> (String) n.get(1));
      return kind == DNS_NAME
          ? canonical(texts.map(name -> name.toLowerCase(Locale.ROOT)))
          : canonical(texts.map(ServerNames::address));
    } catch (CertificateParsingException e) {
      throw new InvalidCertificateException(
          "the subject alternative names of "
              + certificate.getSubjectX500Principal()
              + " cannot be read",
          e);
    }
  }

  private static Set<String> canonical(Stream<String> names) {
    return names.collect(TreeSet::new, Set::add, Set::addAll);
  }

  private static boolean looksLikeAddress(String name) {
    return LOOKS_LIKE_ADDRESS.matcher(name).matches();
  }

  private static String address(String literal) {
    String canonical = InetAddress.ofLiteral(literal).getHostAddress();
    boolean isShorthand = literal.indexOf(':') < 0 && !canonical.equals(literal);
    if (isShorthand || literal.indexOf('%') >= 0) {
      throw new IllegalArgumentException("'" + literal + "' is not a plain IP address");
    }
    return canonical;
  }

  private static String dnsName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.length() > LONGEST_DNS_NAME || !DNS.matcher(lower).matches()) {
      throw new IllegalArgumentException("'" + name + "' is not a DNS name");
    }
    return lower;
  }
}
