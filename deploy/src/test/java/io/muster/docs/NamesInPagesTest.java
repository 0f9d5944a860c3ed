package io.muster.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.certs.x509.CertificateAuthority;
import io.muster.deploy.Commands;
import io.muster.deploy.config.Setting;
import io.muster.extender.core.gang.GangKeys;
import io.muster.webhook.core.OwnKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What pages and examples name is there, under that name: what is renamed is renamed in both. */
final class NamesInPagesTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String DOCS = "deploy/docs/";
  private static final Pattern SOURCE = Pattern.compile(".*\\.(java|js|json|ya?ml|xml|tpl)");
  private static final Pattern WORD = Pattern.compile("\\w+");
  private static final Pattern CODE = Pattern.compile("(?ms)^\\s*```.*?^\\s*```");
  private static final Pattern CLASS =
      Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?(?:\\(\\))?`");
  private static final Pattern KEY = Pattern.compile("(?<![\\w.-])muster\\.io/[a-z][\\w-]*");
  private static final Pattern PREFIX = Pattern.compile("PREFIX = \"(muster\\.io/[\\w-]+-)\"");
  private static final Pattern PREFIXED = Pattern.compile("PREFIX \\+ \"([\\w-]+)\"");
  private static final Pattern METRIC = Pattern.compile("`(muster_[a-z_]+)");
  private static final Pattern SECONDS = Pattern.compile("`([a-z]\\w*Seconds)`");
  private static final Pattern DEFAULT = Pattern.compile("`(\\w+)`(?: \\| |: | \\()(\\d[\\d,]*)");
  private static final Pattern CHECK = Pattern.compile("new Examination\\(\\s*\"([^\"]+)\"");
  private static final Pattern QUOTED_KEY = Pattern.compile("\"(muster\\.io/[a-z-]*[a-z])\"");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package (io\\.muster[\\w.]*);");

  /** Of other programs. */
  private static final Set<String> FOREIGN =
      Set.of(
          "ComputeDomainClique",
          "DoSHandler",
          "FailedMount",
          "IMEXDaemonsWithDNSNames",
          "NetworkConnectionLimit",
          "OrderedReady",
          "ThreadLimitHandler",
          "Tier0InvokeNotifyFreqLog",
          "Tier2BackedgeNotifyFreqLog",
          "Tier2InvokeNotifyFreqLog");

  /** Labels that a bench puts on its own objects, and names in its results. */
  private static final Set<String> OF_BENCHES =
      Set.of("muster.io/bench", "muster_native", "muster_racks");

  private static final Map<String, String> SOURCES = new TreeMap<>();
  private static final Map<String, String> PAGES = new TreeMap<>();
  private static final Set<String> WORDS = new HashSet<>();

  @BeforeAll
  static void read() throws IOException {
    try (var files = Files.walk(ROOT)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var name = ROOT.relativize(file).toString();
        if (name.matches("(.*/)?(target|\\.git)/.*") || file.endsWith("NamesInPagesTest.java")) {
          continue;
        }
        if (name.endsWith(".md") || name.startsWith("examples/")) {
          PAGES.put(name, Files.readString(file));
        } else if (SOURCE.matcher(name).matches()) {
          SOURCES.put(name, Files.readString(file));
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    // What has changed is told by the names of then, as are decisions that hold no more.
    PAGES.keySet().removeIf(name -> name.equals(DOCS + "changes.md"));
    PAGES.values().removeIf(text -> text.contains("Status: superseded"));
    SOURCES.values().forEach(text -> found(WORD, 0, text).forEach(WORDS::add));
  }

  private static Set<String> found(Pattern pattern, int group, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.group(group))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String page(String name) {
    return PAGES.get(name);
  }

  /** Each with the page that names it. */
  private static List<String> unknown(Pattern pattern, int group, Predicate<String> isKnown) {
    return PAGES.entrySet().stream()
        .flatMap(page ->
            found(pattern, group, page.getValue()).stream()
                .filter(isKnown.negate())
                .map(name -> page.getKey() + ": " + name))
        .toList();
  }

  @Test
  void classesAndTheirMembersAreThere() {
    var faults = new TreeSet<String>();
    PAGES.forEach((name, text) ->
        CLASS
            .matcher(CODE.matcher(text).replaceAll(""))
            .results()
            .filter(match -> !FOREIGN.contains(match.group(1)))
            .filter(match -> !isThere(match.group(1), match.group(2)))
            .forEach(match -> faults.add(name + ": " + match.group())));
    assertThat(faults).isEmpty();
  }

  private static boolean isThere(String type, String member) {
    if (!WORDS.contains(type)) {
      return false;
    }
    var own =
        SOURCES.entrySet().stream()
            .filter(file -> file.getKey().endsWith("/" + type + ".java"))
            .toList();
    return member == null
        || own.isEmpty()
        || own.stream().anyMatch(file -> found(WORD, 0, file.getValue()).contains(member));
  }

  @Test
  void keysAreKnownToTheProgram() {
    var known = new HashSet<>(OF_BENCHES);
    SOURCES.forEach((name, text) -> {
      if (!name.contains("src/test/")) {
        known.addAll(found(KEY, 0, text));
      }
      found(PREFIX, 1, text)
          .forEach(prefix -> found(PREFIXED, 1, text).forEach(key -> known.add(prefix + key)));
    });
    assertThat(known).contains("muster.io/gang-name", "muster.io/inject-shm");
    assertThat(unknown(KEY, 0, known::contains)).isEmpty();
  }

  /** Or users would be told at admission that it has no effect. */
  @Test
  void whatTheProgramReadsIsNoSlip() {
    var keys = new TreeSet<String>();
    SOURCES.forEach((name, text) -> {
      if (name.contains("src/main/")) {
        keys.addAll(found(QUOTED_KEY, 1, text));
      }
    });
    assertThat(keys).hasSizeGreaterThan(50).allMatch(OwnKeys::isKnown);
  }

  /** What Muster writes by itself is nobody's to set. */
  @Test
  void everyAnnotationOfAGangStandsOnTheirPage() throws ReflectiveOperationException {
    for (var field : GangKeys.class.getFields()) {
      if (field.getType() == String.class
          && ((String) field.get(null)).matches(GangKeys.PREFIX + ".+")) {
        var key = (String) field.get(null);
        if (!Set.of(GangKeys.DIALECT, GangKeys.INCARNATION).contains(key)) {
          assertThat(page(DOCS + "gangs.md").contains("`" + key + "`")).as(key).isTrue();
        }
      }
    }
  }

  @Test
  void certificatesAreRenewedWhenPagesSay() {
    var days = CertificateAuthority.LEAF_LIFETIME.multipliedBy(2).dividedBy(3).toDays();
    var said =
        Pattern.compile("(?:renews the certificate|90 days \\|) (?:every|after) (\\d+) days");
    assertThat(PAGES.values().stream().flatMap(text -> found(said, 1, text).stream()))
        .hasSizeGreaterThan(1)
        .containsOnly("" + days);
  }

  @Test
  void metricsAreThoseOfTheTable() {
    var names = new HashSet<>(OF_BENCHES);
    for (var row : page(DOCS + "metrics.md").lines().toList()) {
      if (row.startsWith("| `muster_")) {
        var name = row.replaceFirst("\\| `(\\w+)`.*", "$1");
        List.of("", "_bucket", "_count", "_sum", "_max").forEach(end -> names.add(name + end));
      }
    }
    assertThat(unknown(METRIC, 1, names::contains)).isEmpty();
  }

  /** Its defaults too, wherever a page repeats them. */
  @Test
  void settingsAreThere() {
    assertThat(
            unknown(
                SECONDS,
                1,
                name -> WORDS.contains(name) || name.matches("assembly(Total)?Seconds")))
        .isEmpty();
    var defaults =
        Arrays.stream(Setting.values()).collect(Collectors.toMap(Setting::key, Setting::fallback));
    var wrong = new TreeSet<String>();
    PAGES.forEach((name, text) ->
        DEFAULT
            .matcher(text)
            .results()
            .filter(match -> defaults.containsKey(match.group(1)))
            .filter(match -> !defaults.get(match.group(1)).equals(match.group(2).replace(",", "")))
            .forEach(match -> wrong.add(name + ": " + match.group())));
    assertThat(wrong).isEmpty();
  }

  @Test
  void everyCheckOfTheDoctorHasItsRow() {
    var table = page(DOCS + "day2.md");
    var rows = found(Pattern.compile("`([a-z-]+(?:\\.[a-z*-]+)?)`"), 1, table);
    var checks =
        found(
            CHECK,
            1,
            SOURCES.get("deploy/src/main/java/io/muster/deploy/doctor/DoctorCommand.java"));
    assertThat(checks).hasSizeGreaterThan(10);
    assertThat(checks)
        .allMatch(check ->
            rows.contains(check)
                || rows.contains(check + ".*")
                || rows.contains(check.replaceFirst("\\..*", ".*"))
                || page(DOCS + "day2.md").contains("--" + check));
  }

  /** Who takes one namespace for the other asks in a place where nothing is. */
  @Test
  void whoseNamespaceIsMeantIsSaidOfEachCommand() {
    var page = page(DOCS + "day2.md");
    var said = page.substring(page.indexOf("Whose namespace `-n` is:"));
    var others = said.indexOf("with all others");
    Commands.commandLine(List.of())
        .getSubcommands()
        .forEach((name, command) -> {
          var option = command.getCommandSpec().findOption("-n");
          boolean isOfMuster =
              option == null || option.description()[0].startsWith("Where Muster and its Secrets");
          assertThat(said.substring(0, others).contains("`" + name + "`"))
              .as(name)
              .isEqualTo(!isOfMuster);
        });
  }

  @Test
  void reasonsToWaitAreThoseOfTheMetric() {
    var queues = page(DOCS + "queues.md");
    var row =
        page(DOCS + "metrics.md")
            .lines()
            .filter(line -> line.startsWith("| `muster_gangs_waiting` "))
            .findFirst()
            .orElseThrow();
    assertThat(
            found(
                Pattern.compile("(?m)^\\| `(\\w+)` \\| "),
                1,
                queues.substring(queues.indexOf("## Why a gang waits"))))
        .containsExactlyInAnyOrder(
            row.replaceFirst(".*`reason`: ", "").replaceFirst(" \\|.*", "").split(", ", -1));
  }

  /** Of each module what it says of itself, and of the core the page about how Muster works. */
  @Test
  void everyPackageIsDescribed() {
    var packages = packages();
    assertThat(packages).hasSizeGreaterThan(50);
    var missing = new TreeSet<String>();
    for (var name : packages) {
      var module = name.replaceFirst("\\..*", "");
      var below = name.substring(name.indexOf('.') + 1);
      var pages =
          below.startsWith("core.") && module.equals("extender")
              ? List.of(module + "/README.md", DOCS + "architecture.md")
              : List.of(module + "/README.md");
      pages.stream()
          .filter(page -> !isDescribed(name, below, page(page)))
          .forEach(page -> missing.add(page + ": " + name));
    }
    assertThat(missing).isEmpty();
  }

  /** By its own name, by one that ends with a star, or below one that speaks for those below. */
  private static boolean isDescribed(String name, String below, String text) {
    return text.contains("`" + below + "`")
        || text.contains("`io.muster." + name + "`")
        || text.contains("`" + below.replaceFirst("\\.\\w+\\.", ".*.") + "`")
        || (below.startsWith("kinds.")
            && isDescribed(name, below.replaceFirst("\\.\\w+$", ""), text));
  }

  /** Those with classes, without {@code io.muster}. */
  private static Set<String> packages() {
    return SOURCES.entrySet().stream()
        .filter(file -> file.getKey().matches("(certs|extender|webhook|controller)/src/main/.*"))
        .filter(file -> !file.getKey().endsWith("/package-info.java"))
        .flatMap(file -> found(PACKAGE, 1, file.getValue()).stream())
        .map(name -> name.replace("io.muster.", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
