package io.muster.deploy.config;

import io.muster.certs.x509.ServerNames;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Settings that are texts, of which not every one names something. Stateless. */
public final class StatedTexts {

  private static final List<String> JOB_KINDS = Config.split(Setting.JOB_KINDS.fallback());

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._/-]+");

  private StatedTexts() {}

  /** What is wrong with them, each with its key. */
  static List<String> problems(Map<Setting, String> values) {
    var problems = new ArrayList<String>();
    Config.split(values.get(Setting.JOB_KINDS)).stream()
        .filter(kind -> !JOB_KINDS.contains(kind))
        .map(kind -> mustBe(Setting.JOB_KINDS, "some of " + String.join(",", JOB_KINDS), kind))
        .forEach(problems::add);
    var schedulers = values.get(Setting.SCHEDULERS);
    var names = Config.split(schedulers);
    // They go into conditions that the API server evaluates: without any these mean nothing.
    if (names.isEmpty() || !names.stream().allMatch(name -> NAME.matcher(name).matches())) {
      problems.add(
          mustBe(Setting.SCHEDULERS, "names of kube-schedulers, separated by commas", schedulers));
    }
    // Others may issue for wildcards, too.
    if (values.get(Setting.CERTIFICATE_SECRET).isBlank()) {
      serverNames(Config.split(values.get(Setting.SERVER_NAMES))).ifPresent(problems::add);
    }
    var url = values.get(Setting.WEBHOOK_URL);
    if (!url.isBlank() && !isHttpsServer(url)) {
      problems.add(mustBe(Setting.WEBHOOK_URL, "like https://HOST:PORT", url));
    }
    var address = values.get(Setting.ADVERTISE_ADDRESS);
    if (!address.isBlank() && !isAddress(address)) {
      problems.add(mustBe(Setting.ADVERTISE_ADDRESS, "an IP address", address));
    }
    return problems;
  }

  private static Optional<String> serverNames(List<String> names) {
    try {
      if (!names.isEmpty()) {
        var _ = ServerNames.of(names);
      }
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(
          "%s must be DNS names and IP addresses: %s"
              .formatted(Setting.SERVER_NAMES.key(), e.getMessage()));
    }
  }

  /** Whether it is an HTTPS server alone: no other is called, and the path is Muster's. */
  public static boolean isHttpsServer(String url) {
    try {
      var read = URI.create(url);
      return "https".equals(read.getScheme())
          && read.getHost() != null
          && List.of("", "/").contains(read.getPath())
          && url.indexOf('?') < 0
          && url.indexOf('#') < 0
          && url.indexOf('@') < 0;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static boolean isAddress(String text) {
    try {
      return text.matches("[0-9a-fA-F.:]+") && !InetAddress.ofLiteral(text).isAnyLocalAddress();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static String mustBe(Setting setting, String right, String value) {
    return "%s must be %s, not \"%s\"".formatted(setting.key(), right, value);
  }
}
