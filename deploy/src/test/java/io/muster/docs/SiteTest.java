package io.muster.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The web site that is made of the pages. */
final class SiteTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]+)\"");

  @TempDir private static Path site;

  @BeforeAll
  static void make() throws IOException {
    Site.make(ROOT, site);
  }

  @Test
  void everyPageIsInIt() throws IOException {
    try (var pages = Files.list(ROOT.resolve("deploy/docs"))) {
      assertThat(pages.map(page -> page.getFileName().toString()).filter(n -> n.endsWith(".md")))
          .hasSizeGreaterThan(30)
          .allSatisfy(name ->
              assertThat(
                      site.resolve("deploy/docs")
                          .resolve(
                              name.replaceFirst("README\\.md$", "index.md")
                                  .replaceFirst("md$", "html")))
                  .content()
                  .contains("<h1 id=", "<p>This page is for "));
    }
    assertThat(site.resolve("index.html")).content().contains("<title>Muster</title>", "<table>");
  }

  @Test
  void everyLinkLeadsToAFileAndAHeadingOfItAndNothingIsLoadedFromElsewhere() throws IOException {
    var broken = new ArrayList<String>();
    for (var page : pages()) {
      var text = Files.readString(page);
      assertThat(text).doesNotContain("<script", "src=\"http", "@import");
      for (var found : REFERENCE.matcher(text).results().toList()) {
        var link = found.group(1);
        if (!link.matches("[a-z]+:.*") && !leads(page, text, link)) {
          broken.add(site.relativize(page) + " -> " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  private static boolean leads(Path page, String text, String link) throws IOException {
    int anchor = link.indexOf('#');
    var path = anchor < 0 ? link : link.substring(0, anchor);
    var file = path.isEmpty() ? page : page.resolveSibling(path);
    if (anchor < 0 || !Files.isRegularFile(file)) {
      return Files.isRegularFile(file);
    }
    var there = path.isEmpty() ? text : Files.readString(file);
    return there.contains("id=\"" + link.substring(anchor + 1) + "\"");
  }

  private static List<Path> pages() throws IOException {
    try (var files = Files.walk(site)) {
      return files.filter(file -> file.toString().endsWith(".html")).toList();
    }
  }
}
