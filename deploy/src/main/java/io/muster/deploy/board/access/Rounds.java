package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which namespaces somebody's rights are asked about next: each once as it comes, and then all of
 * them in rounds, with a pause as long as the last round after each. Confined to the lock of {@link
 * AccessBook}.
 */
final class Rounds {

  private final SeenNamespaces namespaces;
  private long askedUpTo;
  private long askedAgainUpTo;
  private Instant began;
  private Instant next = Instant.MAX;

  Rounds(SeenNamespaces namespaces, Instant now) {
    this.namespaces = namespaces;
    this.began = now;
  }

  /** Everything is as if nobody had asked. */
  void restart() {
    askedUpTo = 0;
    askedAgainUpTo = 0;
    next = Instant.MAX;
  }

  /** Whether each has been asked about once. */
  boolean isFirstOver() {
    return namespaces.after(askedUpTo).isEmpty();
  }

  /** One that has not been asked about. */
  Optional<String> first(Predicate<String> isOpen) {
    for (var each = namespaces.after(askedUpTo); each.isPresent(); ) {
      askedUpTo = each.get().getKey();
      if (isOpen.test(each.get().getValue())) {
        return Optional.of(each.get().getValue());
      }
      each = namespaces.after(askedUpTo);
    }
    return Optional.empty();
  }

  /** One whose turn it is again. */
  Optional<String> again(Predicate<String> isOpen, Instant now) {
    if (!isFirstOver()) {
      return Optional.empty();
    }
    if (next.equals(Instant.MAX)) {
      end(now);
    }
    if (now.isBefore(next)) {
      return Optional.empty();
    }
    if (askedAgainUpTo == 0) {
      began = now;
    }
    for (var each = namespaces.after(askedAgainUpTo); each.isPresent(); ) {
      askedAgainUpTo = each.get().getKey();
      if (isOpen.test(each.get().getValue())) {
        return Optional.of(each.get().getValue());
      }
      each = namespaces.after(askedAgainUpTo);
    }
    end(now);
    return Optional.empty();
  }

  private void end(Instant now) {
    var took = Duration.between(began, now);
    askedAgainUpTo = 0;
    next = now.plus(took.compareTo(Rights.REFUSED_FOR) > 0 ? took : Rights.REFUSED_FOR);
  }
}
