"""Fair credit scoring with pandas and scikit-learn: loans are granted alike in all regions."""
import pathlib

import pandas
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bridle.sklearn import ConstrainedClassifier, FairClassifier

loans = pandas.read_csv(pathlib.Path(__file__).parents[2] / "examples" / "loans.csv")
region, repaid = loans["region"], loans["repaid"] == "yes"
applicants = loans.drop(columns=["region", "repaid"])

numbers = list(applicants.select_dtypes("number").columns)
texts = [name for name in applicants.columns if name not in numbers]
encode = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), texts))


def rates(decisions):
    return {name: round(float(decisions[(region == name).to_numpy()].mean()), 3) for name in sorted(region.unique())}


free = make_pipeline(encode, ConstrainedClassifier(ridge=1e-3)).fit(applicants, repaid)
print("granted without a bound:", rates(free.predict(applicants)), "right:", free.score(applicants, repaid))

fair = make_pipeline(encode, FairClassifier(gap=0.02))
fair.fit(applicants, repaid, fairclassifier__sensitive_features=region)
print("granted within 0.02:    ", rates(fair.predict(applicants)), "right:", fair.score(applicants, repaid))

model = fair[-1]
assert model.rates_["reached"] and model.rates_["gap"] <= 0.02
print(f"the judge's error of the smoothed problem: {model.certificate_.error:.1e}")
