package io.muster.certs.x509;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a store holds: the authority that issues, the authorities that are trusted (the
 * issuing one first; more than one only while authorities change), the leaves issued so far, and
 * how far a change of authority has come. A leaf that is missing is issued at the next check.
 *
 * <p>Bridges are the certificates by which each former authority signed its successor, the latest
 * first. Sent along with the server's leaf they satisfy a caller that knows a former authority
 * alone, as a kube-scheduler does that has not been started since. Immutable.
 */
public record CertificateBundle(
    CertificateAuthority authority,
    List<X509Certificate> trusted,
    Map<Purpose, Identity> leaves,
    List<X509Certificate> bridges,
    AuthorityChange change) {

  /** Handshakes stay small however often authorities change. */
  static final int MOST_BRIDGES = 3;

  public CertificateBundle {
    trusted = List.copyOf(trusted);
    leaves = Map.copyOf(leaves);
    bridges = List.copyOf(bridges);
    if (trusted.isEmpty() || !trusted.getFirst().equals(authority.certificate())) {
      throw new InvalidCertificateException("the issuing CA is not the first of those trusted");
    }
    if (change instanceof AuthorityChange.Announced(var next)
        && !trusted.contains(next.certificate())) {
      throw new InvalidCertificateException("the next CA is not among those trusted");
    }
  }

  /** A bundle of one authority, trusted alone, that has issued nothing yet. */
  public static CertificateBundle of(CertificateAuthority authority) {
    return new CertificateBundle(
        authority,
        List.of(authority.certificate()),
        Map.of(),
        List.of(),
        new AuthorityChange.None());
  }

  public Optional<Identity> leaf(Purpose purpose) {
    return Optional.ofNullable(leaves.get(purpose));
  }

  /** The same bundle with this leaf in place of the one it had. */
  public CertificateBundle with(Purpose purpose, Identity leaf) {
    Map<Purpose, Identity> changed = new EnumMap<>(Purpose.class);
    changed.putAll(leaves);
    changed.put(purpose, leaf);
    return new CertificateBundle(authority, trusted, changed, bridges, change);
  }

  /** The first step of a change: the next authority is trusted from now on. */
  public CertificateBundle announcing(CertificateAuthority next) {
    if (!(change instanceof AuthorityChange.None)) {
      throw new CertificateIssueException("a change of the CA is under way already");
    }
    List<X509Certificate> both = new ArrayList<>(trusted);
    both.add(next.certificate());
    return new CertificateBundle(
        authority, both, leaves, bridges, new AuthorityChange.Announced(next));
  }

  /**
   * The second step: the announced authority issues. The one before stays trusted until the leaves
   * that are there now have ended, copies of which may be anywhere.
   */
  public CertificateBundle switchedTo(CertificateAuthority next, InstantSource clock) {
    List<X509Certificate> both = new ArrayList<>(trusted);
    both.remove(next.certificate());
    both.addFirst(next.certificate());
    List<X509Certificate> vouching = new ArrayList<>();
    if (authority.maySignAuthorities()) {
      vouching.add(authority.vouchFor(next, clock));
      vouching.addAll(bridges);
    }
    Instant until =
        leaves.values().stream()
            .map(leaf -> leaf.certificate().getNotAfter().toInstant())
            .reduce(clock.instant(), (a, b) -> a.isAfter(b) ? a : b)
            .plus(CertificateAuthority.BACKDATED);
    return new CertificateBundle(
        next,
        both,
        leaves,
        vouching.stream().limit(MOST_BRIDGES).toList(),
        new AuthorityChange.Overlapping(until));
  }

  /** The last step: the issuing authority is trusted alone. */
  public CertificateBundle withoutFormerAuthorities() {
    if (!(change instanceof AuthorityChange.Overlapping)) {
      throw new CertificateIssueException("no overlap of two CAs is under way");
    }
    return new CertificateBundle(
        authority, List.of(authority.certificate()), leaves, bridges, new AuthorityChange.None());
  }

  /** Whether who trusts these authorities has reason to trust the one that issues here. */
  public boolean continues(List<X509Certificate> known) {
    List<X509Certificate> believed = new ArrayList<>(known);
    // The oldest first: each bridge is signed by the authority that the next older one leads to.
    for (X509Certificate bridge : bridges.reversed()) {
      if (believed.stream().anyMatch(ca -> CertificateAuthority.signed(ca, bridge))) {
        believed.add(bridge);
      }
    }
    X509Certificate own = authority.certificate();
    return believed.stream()
        .anyMatch(ca ->
            ca.getPublicKey().equals(own.getPublicKey())
                && ca.getSubjectX500Principal().equals(own.getSubjectX500Principal()));
  }

  /** What ports show and believe with this bundle. */
  public Credentials credentials(Instant now) {
    Identity server =
        leaf(Purpose.SERVER)
            .orElseThrow(() -> new CertificateIssueException("no server certificate issued"));
    List<X509Certificate> chain = new ArrayList<>();
    chain.add(server.certificate());
    bridges.stream()
        .filter(bridge -> now.isBefore(bridge.getNotAfter().toInstant()))
        .forEach(chain::add);
    return new Credentials(
        new Identity(server.key(), chain),
        trusted,
        trusted,
        leaf(Purpose.SCHEDULER_CLIENT).map(Identity::chain).orElse(List.of()));
  }

  /** The trusted authorities as PEM, for whoever verifies Muster's servers. */
  public String trustedPem() {
    return Pem.ofCertificates(trusted);
  }
}
