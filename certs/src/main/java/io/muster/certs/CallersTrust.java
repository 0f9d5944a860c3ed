package io.muster.certs;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps what callers believe ahead of what they are shown: an authority is added at once, and taken
 * away only when it has been of no use for the settling time, since another replica may show its
 * leaf for that long. An authority counts as settled when callers have been told of it for the
 * settling time, at every check in between. Confined to one thread at a time.
 */
final class CallersTrust {

  private final TrustRegistry registry;
  private final InstantSource clock;
  private final Duration settling;
  private final Map<X509Certificate, Instant> toldSince = new HashMap<>();
  private Optional<Instant> superfluousSince = Optional.empty();
  private Set<X509Certificate> wanted;

  CallersTrust(
      TrustRegistry registry,
      List<X509Certificate> wanted,
      InstantSource clock,
      Duration settling) {
    this.registry = registry;
    this.wanted = Set.copyOf(wanted);
    this.clock = clock;
    this.settling = settling;
  }

  /** Notes what callers are told now. */
  void check() {
    // Where nobody calls, nobody has to be told; time passes all the same.
    Set<X509Certificate> told =
        registry.told().<Set<X509Certificate>>map(HashSet::new).orElse(wanted);
    toldSince.keySet().retainAll(told);
    told.forEach(authority -> toldSince.putIfAbsent(authority, clock.instant()));
  }

  boolean isSettled(X509Certificate authority) {
    Instant since = toldSince.get(authority);
    return since != null && !clock.instant().isBefore(since.plus(settling));
  }

  /** Tells callers to believe these, and no others once those are of no use any more. */
  void want(List<X509Certificate> authorities) {
    wanted = Set.copyOf(authorities);
    Optional<List<X509Certificate>> told = registry.told();
    if (told.isEmpty()) {
      return;
    }
    Instant now = clock.instant();
    Set<X509Certificate> all = new LinkedHashSet<>(authorities);
    told.get().stream()
        .filter(authority -> now.isBefore(authority.getNotAfter().toInstant()))
        .forEach(all::add);
    boolean lacks = !told.get().containsAll(authorities);
    boolean hasMore = all.size() > authorities.size();
    if (!hasMore) {
      superfluousSince = Optional.empty();
    } else if (superfluousSince.isEmpty()) {
      superfluousSince = Optional.of(now);
    }
    if (lacks) {
      registry.tell(new ArrayList<>(all));
    } else if (superfluousSince.filter(since -> !now.isBefore(since.plus(settling))).isPresent()) {
      registry.tell(authorities);
    }
  }
}
