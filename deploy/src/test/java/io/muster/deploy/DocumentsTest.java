package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the pages point to is there. */
final class DocumentsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PAGES = ROOT.resolve("deploy/docs");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(?:#[^)]*)?\\)");
  private static final Pattern TO_HEADING = Pattern.compile("\\]\\(([^)#\\s:]*)#([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern NAMED = Pattern.compile("<a id=\"([^\"]+)\"");
  private static final Pattern PATH = Pattern.compile("`([\\w.-]+(?:/[\\w.-]+)+)/?`");
  private static final Pattern CODE = Pattern.compile("(?ms)^\\s*```.*?^\\s*```");
  private static final int LONGEST_LINE = 120;
  private static final int LONGEST_README = 130;

  private static List<Path> pages() throws IOException {
    try (var files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !ROOT.relativize(file).toString().matches("(.*/)?(target|\\.git)/.*"))
          .toList();
    }
  }

  private static String withoutCode(Path page) {
    try {
      return CODE.matcher(Files.readString(page)).replaceAll("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void everyLinkToAFileLeadsSomewhere() throws IOException {
    var broken = new ArrayList<String>();
    for (var page : pages()) {
      LINK.matcher(withoutCode(page))
          .results()
          .map(found -> found.group(1))
          .filter(target -> !target.matches("[a-z]+:.*"))
          .filter(target -> !Files.exists(page.resolveSibling(target)))
          .forEach(target -> broken.add(ROOT.relativize(page) + " -> " + target));
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyLinkToAHeadingLeadsToOne() throws IOException {
    var broken = new ArrayList<String>();
    for (var page : pages()) {
      for (var link : TO_HEADING.matcher(withoutCode(page)).results().toList()) {
        var target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
        if (target.toString().endsWith(".md") && !headings(target).contains(link.group(2))) {
          broken.add(ROOT.relativize(page) + " -> " + link.group(1) + "#" + link.group(2));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  /** As GitHub names them, and those that the page names by itself. */
  private static Set<String> headings(Path page) {
    var text = withoutCode(page);
    var found = new HashSet<String>();
    HEADING
        .matcher(text)
        .results()
        .map(heading ->
            heading
                .group(1)
                .strip()
                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\w -]", "")
                .replace(' ', '-'))
        .forEach(found::add);
    NAMED.matcher(text).results().map(name -> name.group(1)).forEach(found::add);
    return found;
  }

  @Test
  void everyPageSaysInItsFirstLineForWhomItIs() throws IOException {
    try (var files = Files.list(PAGES)) {
      for (var page : files.filter(file -> file.toString().endsWith(".md")).toList()) {
        assertThat(Files.readAllLines(page).stream().skip(1).filter(line -> !line.isBlank()))
            .as("%s", ROOT.relativize(page))
            .first()
            .asString()
            .startsWith("This page is for ");
      }
    }
  }

  @Test
  void everyPlaceToChangeSomethingExists() throws IOException {
    var text = Files.readString(PAGES.resolve("architecture.md"));
    var paths =
        PATH.matcher(text.substring(text.indexOf("## To change X, look in Y")))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(paths)
        .hasSizeGreaterThan(20)
        .allSatisfy(path -> assertThat(ROOT.resolve(path)).exists());
  }

  /** But what a build makes, and what was there when something changed. */
  @Test
  void everyPathThatBeginsInTheTreeExists() throws IOException {
    var broken = new ArrayList<String>();
    for (var page : pages()) {
      if (!page.endsWith("changes.md")) {
        PATH.matcher(withoutCode(page))
            .results()
            .map(found -> found.group(1))
            .filter(path -> Files.isDirectory(ROOT.resolve(path.replaceFirst("/.*", ""))))
            .filter(path -> !path.contains("/target/") && !Files.exists(ROOT.resolve(path)))
            .forEach(path -> broken.add(ROOT.relativize(page) + " -> " + path));
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyDecisionHasANumberOfItsOwnAndStandsInTheIndex() throws IOException {
    var index = Files.readString(PAGES.resolve("adr-index.md"));
    for (var module : List.of("certs", "controller", "deploy", "extender", "webhook")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(module).resolve("adr"))) {
        var names = files.map(file -> file.getFileName().toString()).toList();
        assertThat(names).extracting(name -> name.substring(0, 4)).doesNotHaveDuplicates();
        assertThat(names).allSatisfy(name -> assertThat(index).contains("adr/" + name));
      }
    }
  }

  /** But rows of tables, which Markdown cannot wrap. */
  @Test
  void proseIsWrapped() throws IOException {
    for (var page : pages()) {
      assertThat(withoutCode(page).lines().filter(line -> !line.stripLeading().startsWith("|")))
          .as("%s", ROOT.relativize(page))
          .allMatch(line -> line.length() <= LONGEST_LINE);
    }
    assertThat(Files.readString(ROOT.resolve("README.md")).lines())
        .hasSizeLessThanOrEqualTo(LONGEST_README);
  }
}
