package io.muster.certs.x509;

import java.time.Instant;

/** How far the change from one authority to the next has come. Immutable. */
public sealed interface AuthorityChange {

  /** One authority issues and is trusted alone. */
  record None() implements AuthorityChange {}

  /** The next authority is trusted already and has issued nothing yet. */
  record Announced(CertificateAuthority next) implements AuthorityChange {}

  /** The next authority issues; the one before stays trusted until its last leaf has ended. */
  record Overlapping(Instant until) implements AuthorityChange {}
}
