package io.muster.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * The pages as a web site: what the index of the pages leads to in the repository, link by link.
 * Markdown becomes HTML with the headings' names that GitHub gives, other files are copied, and of
 * a folder there is a list if it has no README. Confined to one thread.
 */
final class Site {

  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  private static final String README = "README.md";
  private static final Path INDEX = Path.of("deploy/docs", README);

  private final Path root;
  private final Path to;
  private final String frame;
  private final Set<Path> found = new LinkedHashSet<>();
  private final Deque<Path> pending = new ArrayDeque<>();

  private Site(Path root, Path to) throws IOException {
    this.root = root;
    this.to = to;
    try (var page = Objects.requireNonNull(Site.class.getResourceAsStream("page.html"))) {
      frame = new String(page.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Arguments: the repository and the folder of the site. */
  public static void main(String[] arguments) throws IOException {
    var to = Path.of(arguments[1]);
    int files = make(Path.of(arguments[0]), to);
    System.out.printf("%d files; open %s%n", files, to.resolve("index.html"));
  }

  /**
   * Writes it.
   *
   * @param root the repository
   * @param to a folder; what is in it and has other names stays
   * @return how many files it has
   */
  static int make(Path root, Path to) throws IOException {
    var site = new Site(root.toRealPath(), to);
    site.lead(Path.of(README));
    site.lead(INDEX);
    while (!site.pending.isEmpty()) {
      site.publish(site.pending.pop());
    }
    return site.found.size();
  }

  private void lead(Path file) {
    if (found.add(file)) {
      pending.push(file);
    }
  }

  private void publish(Path file) throws IOException {
    var source = root.resolve(file);
    var target = to.resolve(published(file));
    Files.createDirectories(target.getParent());
    if (Files.isDirectory(source)) {
      Files.writeString(target, page(file, PARSER.parse(listed(file)), file));
    } else if (isPage(file)) {
      Files.writeString(target, page(file, PARSER.parse(Files.readString(source)), parent(file)));
    } else {
      Files.write(target, Files.readAllBytes(source));
    }
  }

  private static boolean isPage(Path file) {
    return file.toString().endsWith(".md");
  }

  /** Where in the site something of the repository is. */
  private Path published(Path file) {
    if (Files.isDirectory(root.resolve(file))) {
      return file.resolve("index.html");
    }
    if (!isPage(file)) {
      return file;
    }
    var name = file.getFileName().toString();
    return file.resolveSibling(
        name.equals(README) ? "index.html" : name.replaceFirst("\\.md$", ".html"));
  }

  /** Its files, and the names of its folders: no page has asked for what is in those. */
  private String listed(Path folder) throws IOException {
    try (var files = Files.list(root.resolve(folder))) {
      return files
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .sorted()
          .map(file ->
              (Files.isDirectory(file) ? "- %s/\n" : "- [%1$s](<%1$s>)\n")
                  .formatted(file.getFileName()))
          .collect(Collectors.joining("", "# " + folder + "\n\n", ""));
    }
  }

  /**
   * @param folder to which links are relative
   */
  private String page(Path file, Node document, Path folder) {
    var title = new StringBuilder();
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Link link) {
            link.setDestination(led(link.getDestination(), folder, published(file)));
            visitChildren(link);
          }

          @Override
          public void visit(Image image) {
            image.setDestination(led(image.getDestination(), folder, published(file)));
          }

          @Override
          public void visit(Heading heading) {
            if (title.isEmpty()) {
              title.append(text(heading));
            }
            visitChildren(heading);
          }
        });
    var used = new HashMap<String, Integer>();
    var html =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .attributeProviderFactory(_ ->
                (node, _, attributes) -> {
                  if (node instanceof Heading heading) {
                    attributes.put("id", name(text(heading), used));
                  }
                })
            .build()
            .render(document);
    var home = parent(published(file)).relativize(published(INDEX));
    return frame
        .replace("{title}", title.toString().replace("&", "&amp;").replace("<", "&lt;"))
        .replace("{home}", home.toString())
        .replace("{body}", html);
  }

  /** The same link in the site; links out of the repository stay as they are. */
  private String led(String destination, Path folder, Path from) {
    if (destination.matches("[a-z]+:.*") || destination.startsWith("#")) {
      return destination;
    }
    int anchor = destination.indexOf('#');
    var path = anchor < 0 ? destination : destination.substring(0, anchor);
    var file = root.relativize(root.resolve(folder).resolve(path).normalize());
    if (file.startsWith("..") || !Files.exists(root.resolve(file))) {
      throw new IllegalArgumentException(
          "%s links to %s, which is not there".formatted(from, destination));
    }
    var page = Files.exists(root.resolve(file).resolve(README)) ? file.resolve(README) : file;
    lead(page);
    return parent(from).relativize(published(page))
        + (anchor < 0 ? "" : destination.substring(anchor));
  }

  private static Path parent(Path file) {
    return file.getParent() == null ? Path.of("") : file.getParent();
  }

  private static String text(Node node) {
    var text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString();
  }

  /** As GitHub names headings; the second of a name gets a number. */
  private static String name(String heading, Map<String, Integer> used) {
    var name =
        heading.strip().toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-');
    int before = used.merge(name, 1, Integer::sum) - 1;
    return before == 0 ? name : name + "-" + before;
  }
}
