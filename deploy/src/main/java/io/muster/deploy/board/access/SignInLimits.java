package io.muster.deploy.board.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * How often the API server is asked about tokens: per address that a request comes from, and in
 * all. A token that turns out good costs its address nothing, as long as its account brings not too
 * many; so those behind one proxy do not keep each other out. Tokens that have been good before are
 * asked about again out of a share of their own, which no stranger can use up. Safe for concurrent
 * use.
 */
final class SignInLimits {

  /** Others are refused; entries last a minute each, so that the rate in all keeps them fewer. */
  private static final int MOST_REMEMBERED = 4096;

  private static final int NETWORK_BYTES = 8;
  private static final int AT_ONCE_FROM_ONE = 10;
  private static final Duration APART_FROM_ONE = Duration.ofSeconds(6);
  private static final int AT_ONCE_OF_ACCOUNT = 40;
  private static final Duration APART_OF_ACCOUNT = Duration.ofSeconds(3);

  private final Map<String, Allowance> addresses = new HashMap<>();
  private final Map<String, Allowance> accounts = new HashMap<>();
  private final Allowance strangers = Allowance.perSecond(20, 50);
  private final Allowance renewals = Allowance.perSecond(10, 20);

  /**
   * Whether the API server may be asked now about a token that is not known.
   *
   * @return how long to wait; empty: it may, and that is counted
   */
  synchronized Optional<Duration> stranger(String address, Instant now) {
    var place = place(address);
    forget(addresses, now);
    var own = addresses.getOrDefault(place, fromOne());
    var wait = longer(own.wait(now), strangers.wait(now));
    if (wait.isPositive()) {
      return Optional.of(wait);
    }
    if (addresses.size() >= MOST_REMEMBERED && !addresses.containsKey(place)) {
      return Optional.of(APART_FROM_ONE);
    }
    own.take(now);
    strangers.take(now);
    addresses.put(place, own);
    return Optional.empty();
  }

  /** The token that was asked about is a good one. */
  synchronized void wasGood(String address, Identity who, Instant now) {
    if (account(who, now).take(now)) {
      Optional.ofNullable(addresses.get(place(address))).ifPresent(Allowance::giveBack);
    }
  }

  /** Whether one more session may begin; empty: it may, and that is counted. */
  synchronized Optional<Duration> session(Identity who, Instant now) {
    var own = account(who, now);
    var wait = own.wait(now);
    own.take(now);
    return Optional.of(wait).filter(Duration::isPositive);
  }

  /** Whether the API server may be asked now about a token that has been good before. */
  synchronized Optional<Duration> renewal(Instant now) {
    var wait = renewals.wait(now);
    renewals.take(now);
    return Optional.of(wait).filter(Duration::isPositive);
  }

  synchronized int remembered() {
    return addresses.size() + accounts.size();
  }

  private Allowance account(Identity who, Instant now) {
    forget(accounts, now);
    if (accounts.size() >= MOST_REMEMBERED) {
      accounts.clear();
    }
    return accounts.computeIfAbsent(
        who.account(), _ -> new Allowance(AT_ONCE_OF_ACCOUNT, APART_OF_ACCOUNT));
  }

  private static Allowance fromOne() {
    return new Allowance(AT_ONCE_FROM_ONE, APART_FROM_ONE);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static void forget(Map<String, Allowance> all, Instant now) {
    if (all.size() >= MOST_REMEMBERED / 4) {
      all.values().removeIf(each -> each.isWhole(now));
    }
  }

  /** One household has a whole network of addresses of IP version 6. */
  private static String place(String address) {
    try {
      var parsed = InetAddress.ofLiteral(address);
      return parsed instanceof Inet6Address
          ? HexFormat.of().formatHex(Arrays.copyOf(parsed.getAddress(), NETWORK_BYTES))
          : parsed.getHostAddress();
    } catch (IllegalArgumentException _) {
      return "";
    }
  }
}
