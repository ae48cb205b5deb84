#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "bridle/apps/slicing/formulation.hpp"
#include "bridle/apps/slicing/instance_file.hpp"
#include "bridle/apps/slicing/lists.hpp"
#include "bridle/core/error.hpp"

#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

class SliceFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // What the reader says of the file, without the folder.
  template <class Read>
  std::string refusal(const std::string& path, Read&& read) {
    try {
      read(path);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder_.string().size() + 1);
    }
    return "";
  }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("bridle-slice-" + std::to_string(::getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

const char* const native = R"(?SNDlib native format; type: network; version: 1.0
# a comment
META (
  unit = MBIT
)
NODES (
  A ( 1.5 2 )
  B ( 3 -4 )
  C ( 5 6 )
)
LINKS (
  L1 ( A B ) 0.00 0.00 0.00 1.00 ( 155.00 1.00 622.00 4.00 )
  L2 ( B C ) 40.00 0.00 0.00 1.00 ( )
)
DEMANDS (
  D1 ( A C ) 1 12.5 UNLIMITED
  D2 ( C C ) 1 3 UNLIMITED
)
ADMISSIBLE_PATHS (
  D1 (
    P_0 ( L1 L2 )
  )
)
)";

const char* const xml = R"(<?xml version="1.0"?>
<network><networkStructure>
<nodes><node id="A"><coordinates><x>1.5</x><y>2</y></coordinates></node>
<node id="B"><coordinates><x>3</x><y>-4</y></coordinates></node>
<node id="C"><coordinates><x>5</x><y>6</y></coordinates></node></nodes>
<links>
<link id="L1"><source>A</source><target>B</target><additionalModules>
<addModule><capacity>155</capacity></addModule><addModule><capacity>622</capacity></addModule></additionalModules></link>
<link id="L2"><source>B</source><target>C</target><preInstalledModule><capacity>40</capacity></preInstalledModule></link>
</links></networkStructure>
<demands><demand id="D1"><source>A</source><target>C</target><demandValue>12.5</demandValue></demand></demands>
</network>)";

TEST_F(SliceFiles, NativeAndXmlSayTheSame) {
  for (const auto& path : {write("n.txt", native), write("n.xml", xml)}) {
    const Network n = read_topology(path);
    ASSERT_EQ(n.nodes.size(), 3u);
    EXPECT_EQ(n.nodes[1].name, "B");
    EXPECT_EQ(n.nodes[1].y, -4);
    ASSERT_EQ(n.links.size(), 2u);
    EXPECT_FALSE(n.links[0].installed);
    EXPECT_EQ(n.links[0].modules, (std::vector<double>{155, 622}));
    EXPECT_EQ(n.links[1].installed, 40);
    ASSERT_EQ(n.demands.size(), 1u);  // the one within a node is left out
    EXPECT_EQ(n.demands[0].value, 12.5);
    EXPECT_FALSE(n.directed);
  }
}

TEST_F(SliceFiles, GraphmlByLabelWithCapacity) {
  const Network n = read_topology(write("n.graphml", R"(<graphml>
<key id="d0" for="node" attr.name="label"/><key id="d1" for="node" attr.name="Longitude"/>
<key id="d2" for="edge" attr.name="capacity"/><key id="d3" for="edge" attr.name="delay"/>
<graph edgedefault="directed"><node id="0"><data key="d0">Rome</data><data key="d1">12.5</data></node>
<node id="1"><data key="d0">Oslo</data></node>
<edge source="0" target="1"><data key="d2">7</data><data key="d3">2.5</data></edge></graph></graphml>)"));
  EXPECT_TRUE(n.directed);
  EXPECT_EQ(n.nodes[0].name, "Rome");
  EXPECT_EQ(n.nodes[0].x, 12.5);
  EXPECT_EQ(n.links[0].installed, 7);
  EXPECT_EQ(n.links[0].delay, 2.5);
}

TEST_F(SliceFiles, MistakesAreQuotedWithTheirLine) {
  const auto topology = [](const std::string& path) { read_topology(path); };
  std::string text = native;
  EXPECT_EQ(refusal(write("a.txt", text.replace(text.find("B C"), 3, "B X")), topology),
            "a.txt:13: unknown node 'X'; did you mean 'A'?");
  text = native;
  EXPECT_EQ(refusal(write("b.txt", text.replace(text.find("40.00"), 5, "-40.0")), topology),
            "b.txt:13: the pre-installed capacity '-40.0' is negative; it must be >= 0");
  EXPECT_EQ(refusal(write("c.txt", "NODES (\n A ( 1 x )\n)\n"), topology),
            "c.txt:2: the latitude 'x' is no number");
  EXPECT_EQ(refusal(write("d.txt", "NODES (\n A\n"), topology),
            "d.txt:2: the file ends within the section NODES");
  EXPECT_EQ(refusal(write("e.xml", "<network>\n<nodes>"), topology),
            "e.xml:2: is no well-formed XML: XML_ERROR_PARSING");
  EXPECT_EQ(refusal(write("f.xml", "<svg/>"), topology),
            "f.xml:1: the root element is 'svg'; it must be 'network' (SNDlib) or 'graphml'");
  EXPECT_EQ(refusal(write("g.txt", ""), topology), "g.txt: has no nodes");
}

TEST_F(SliceFiles, InstancesComeBackAsTheyWere) {
  SliceInstance before = ring_instance({.flows = 7, .tight = true, .seed = 3});
  before.flows[2].max_delay = 1.0 / 3;
  const SliceInstance after = read_instance(write("i.toml", instance_text(before)));
  EXPECT_EQ(instance_text(after), instance_text(before));
  EXPECT_EQ(after.links, before.links);
  EXPECT_NE(after.links[0].delay, 1);  // by the coordinates
  EXPECT_EQ(after.flows[2].max_delay, before.flows[2].max_delay);
  EXPECT_FALSE(after.flows[3].in_a_hurry());
  for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(after.flows[k].rate, before.flows[k].rate);
}

TEST_F(SliceFiles, FlowsFromCsv) {
  SliceInstance instance = ring_instance({.flows = 3, .seed = 1});
  read_flows(write("flows.csv", "source,target,rate,chain\nA, D, 1.5, f1 f3\n\nB,C,2,f2\n"), instance);
  ASSERT_EQ(instance.flows.size(), 2u);
  EXPECT_EQ(instance.flows[0].chain, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(instance.flows[0].rate, 1.5);
  read_flows(write("semicolons.csv", "A; D; 1.5; f1 f3\nB;C;2;f2\n"), instance);
  ASSERT_EQ(instance.flows.size(), 2u);
  EXPECT_EQ(instance.flows[1].rate, 2);
  const auto flows = [&](const std::string& path) { read_flows(path, instance); };
  EXPECT_EQ(refusal(write("a.csv", "A,Q,1,f1\n"), flows).substr(0, 22), "a.csv:1: unknown node ");
  EXPECT_EQ(refusal(write("b.csv", "A,B,-1,f1\n"), flows),
            "b.csv:1: flow 'flow1': the rate is -1; it must be a number > 0, from 1e-30 to 1e+30");
  EXPECT_EQ(refusal(write("c.csv", "A,B,1\n"), flows),
            "c.csv:1: 3 fields; a flow is source,target,rate,chain");
  EXPECT_EQ(refusal(write("d.csv", "source,target,rate,chain\n"), flows),
            "d.csv: the list of flows is empty");
  EXPECT_EQ(refusal(write("e.csv", "A,B,nan,f1\n"), flows),
            "e.csv:1: flow 'flow1': the rate is nan; it must be a number > 0, from 1e-30 to 1e+30");
}

TEST_F(SliceFiles, ListsKnowQuotesAndDecimalCommas) {
  SliceInstance instance = ring_instance({.flows = 3, .seed = 1});
  instance.nodes[0].name = "A, \"old\"";
  read_flows(write("quotes.csv",
                   "\"source\",target,rate,chain,name\n\"A, \"\"old\"\"\",\"D\",\"2\", \"f1  f3\" ,x\n"),
             instance);
  ASSERT_EQ(instance.flows.size(), 1u);
  EXPECT_EQ(instance.flows[0].source, 0u);
  EXPECT_EQ(instance.flows[0].chain, (std::vector<std::size_t>{0, 2}));
  read_flows(write("commas.csv", "\"A, \"\"old\"\"\";D;2,5;f1\nB;C;0.5;f2\n"), instance);
  ASSERT_EQ(instance.flows.size(), 2u);
  EXPECT_EQ(instance.flows[0].rate, 2.5);
  EXPECT_EQ(instance.flows[1].rate, 0.5);
  EXPECT_EQ(read_functions(write("hosts.csv", "node;capacity;functions\nB;10,5;fw\n"), instance)[1], 10.5);
  const auto flows = [&](const std::string& path) { read_flows(path, instance); };
  EXPECT_EQ(refusal(write("a.csv", "B,C,\"2,5\",fw\n"), flows), "a.csv:1: the rate '2,5' is no number");
  EXPECT_EQ(refusal(write("b.csv", "B,C,1,fw\nB,\"C,1,fw\n"), flows),
            "b.csv:2: a quoted field opens here and is never closed");
}

TEST_F(SliceFiles, FlowsWithAHeaderComeInItsOrder) {
  SliceInstance instance = ring_instance({.flows = 3, .seed = 1});
  read_flows(
      write("flows.csv", "name,rate,max_delay,chain,target,source\nbackup,1.5,9.5,f1,D,A\nweb,1,,f1,D,A\n"),
      instance);
  ASSERT_EQ(instance.flows.size(), 2u);
  EXPECT_EQ(instance.flows[0].max_delay, 9.5);
  EXPECT_FALSE(instance.flows[1].in_a_hurry());
  EXPECT_EQ(instance.flows[0].name, "backup");
  EXPECT_EQ(instance.flows[0].source, 0u);
  EXPECT_EQ(instance.flows[0].target, 3u);
  const auto flows = [&](const std::string& path) { read_flows(path, instance); };
  EXPECT_EQ(refusal(write("a.csv", "source,target,rate\n"), flows),
            "a.csv:1: the header has no column 'chain'");
  EXPECT_EQ(refusal(write("b.csv", "source,target,rate,chains\n"), flows),
            "b.csv:1: unknown column 'chains'; did you mean 'chain'?");
  EXPECT_EQ(refusal(write("c.csv", "source,target,rate,chain,rate\n"), flows),
            "c.csv:1: the column 'rate' is there twice");
  EXPECT_EQ(refusal(write("d.csv", "name,source,target,rate,chain\nweb,A,B,1,f1\nweb,B,A,1,f1\n"), flows),
            "d.csv:3: two flows are called 'web'");
}

TEST_F(SliceFiles, FunctionsOfOnesOwn) {
  GenerateOptions options;
  options.function_file =
      write("functions.csv", "node,capacity,functions\nA,7,nat dpi\nC,,nat\nE,3.5,dpi cache\n");
  options.flow_file = write("flows.csv", "B,D,1.5,nat dpi\nF,A,2,cache\n");
  const SliceInstance instance = generate_instance(ring(), options);
  EXPECT_EQ(instance.functions, (Names{"nat", "dpi", "cache"}));
  EXPECT_EQ(instance.nodes[0].capacity, 7);
  EXPECT_EQ(instance.nodes[2].capacity, 1.5 * (1.5 * 2 + 2) / 3);  // by the rule: three hosts share the work
  EXPECT_EQ(instance.nodes[4].functions, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(instance.nodes[1].functions.empty());
  EXPECT_EQ(instance.flows[1].chain, (std::vector<std::size_t>{2}));
  options.flow_file.clear();  // chains of the file's functions are drawn: no longer than there are functions
  options.flows = 10;
  for (const auto& flow : generate_instance(ring(), options).flows) EXPECT_LE(flow.chain.size(), 3u);
}

TEST_F(SliceFiles, MistakesInListsAreQuotedWithTheirLine) {
  SliceInstance instance = ring_instance({.flows = 3, .seed = 1});
  const auto functions = [&](const std::string& path) { read_functions(path, instance); };
  EXPECT_EQ(refusal(write("a.csv", "A,1,nat\nQ,1,nat\n"), functions).substr(0, 24),
            "a.csv:2: unknown node 'Q");
  EXPECT_EQ(refusal(write("b.csv", "A,1,nat\nA,1,dpi\n"), functions), "b.csv:2: the node 'A' has two lines");
  EXPECT_EQ(refusal(write("c.csv", "A,-1,nat\n"), functions),
            "c.csv:1: the capacity is -1; it must be a number from 0 to 1e+30");
  EXPECT_EQ(refusal(write("d.csv", "A,much,nat\n"), functions), "d.csv:1: the capacity 'much' is no number");
  EXPECT_EQ(refusal(write("e.csv", "A,1\n"), functions),
            "e.csv:1: 2 fields; a host is node,capacity,functions");
  EXPECT_EQ(refusal(write("f.csv", "A,1,nat nat\n"), functions), "f.csv:1: the node 'A' offers 'nat' twice");
  EXPECT_EQ(refusal(write("g.csv", "A,1,\n"), functions),
            "g.csv:1: the node 'A' offers no function; nodes that only forward have no line");
  EXPECT_EQ(refusal(write("h.csv", ""), functions), "h.csv: the list of functions is empty");
  instance = ring_instance({.flows = 3, .seed = 1});
  EXPECT_EQ(
      refusal(write("i.csv", "A,B,1,nat\n"), [&](const auto& path) { read_flows(path, instance); }),
      "i.csv:1: unknown function 'nat': without --functions they are made up and called f1, f2, f3, f4, f5; "
      "--functions FILE, with lines node,capacity,functions, says which node offers which");
  read_functions(write("functions.csv", "A,7,nat\n"), instance);
  EXPECT_EQ(refusal(write("j.csv", "A,B,1,nta\n"),
                    [&](const auto& path) { read_flows(path, instance, "functions.csv"); }),
            "j.csv:1: unknown function 'nta', no node of functions.csv offers it; did you mean 'nat'?");
}

TEST_F(SliceFiles, CapacitiesFromTheFileOrTheRule) {
  Network network = read_topology(write("n.txt", native));
  GenerateOptions options;
  options.flows = 2;
  options.shortest_chain = options.longest_chain = 1;
  options.capacities = Capacities::modules;
  const SliceInstance instance = generate_instance(network, options);
  EXPECT_EQ(instance.links[0].capacity, 622);
  EXPECT_EQ(instance.links[2].capacity, 40);
  EXPECT_EQ(instance.flows[0].rate, 12.5);
  options.capacities = Capacities::installed;
  EXPECT_EQ(refusal(network.file, [&](const std::string&) { generate_instance(network, options); }),
            "n.txt:12: the link A - B has no pre-installed capacity; use --capacities modules or uniform");
}

TEST_F(SliceFiles, LpTextNamesEveryVariableOnce) {
  const SliceInstance instance = line_instance();
  const std::string text = lp_text(Formulation(instance));
  EXPECT_NE(text.find("\n node_1:\n + 2 x_0_0_1\n <= 3\n"), std::string::npos);
  EXPECT_NE(text.find("\n 0 <= y_0_1_3 <= 1\n"), std::string::npos);
  EXPECT_NE(text.find("Binaries\n x_0_0_1\n x_0_0_2\nEnd\n"), std::string::npos);
}

}  // namespace
}  // namespace bridle
